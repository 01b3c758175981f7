// Elements are made here and nowhere else, and text only becomes text: nothing that a request has
// sent is ever read as markup.

// make returns an element. Children are elements or texts.
export function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

const svgNames = "http://www.w3.org/2000/svg";

// draw is make for SVG.
export function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(svgNames, tag), attributes, children);
}

function fill(element, attributes, children) {
  set(element, attributes);
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
}

// set changes attributes. A value of null removes one.
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
}

// write changes the text of an element, if it is another one: screen readers and selections notice.
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const byID = (id) => document.getElementById(id);

// show makes the content of an element what it should be, and changes nothing that is the same:
// focus, selections and what is scrolled stay where they are.
export function show(parent, ...content) {
  const wanted = content.filter((c) => c !== null && c !== undefined);
  wanted.forEach((node, i) => {
    const old = parent.childNodes[i];
    if (!old) parent.append(node);
    else if (!same(old, node)) old.replaceWith(node);
    else become(old, node);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

const same = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName;

function become(old, wanted) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  for (const name of old.getAttributeNames()) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const name of wanted.getAttributeNames()) set(old, { [name]: wanted.getAttribute(name) });
  show(old, ...wanted.childNodes);
}

// table returns a table. A column has a title and a class; a cell is a text, an element, or null. A
// row is an array of cells, or an element that is the row.
// column of class "line" has a line of its own where there is little space.
export function table(caption, columns, rows) {
  const cell = (tag, column, content) => make(tag, { class: column.class ?? "", ...(tag === "th" ? { scope: "col" } : {}) }, content ?? "");
  const line = (row) => (Array.isArray(row) ? make("tr", {}, ...row.map((content, i) => cell("td", columns[i], content))) : row);
  return make("div", { class: "scroll" }, make("table", { class: columns.some((c) => c.class?.includes("line")) ? "stack" : null },
    make("caption", { class: "hidden" }, caption),
    make("thead", {}, make("tr", {}, ...columns.map((c) => cell("th", c, c.title)))),
    make("tbody", {}, ...rows.map(line))));
}
