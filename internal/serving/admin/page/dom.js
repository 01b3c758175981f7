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

// table returns a table. A column has a title and a class; a cell is a text, an element, or null.
export function table(caption, columns, rows) {
  const cell = (tag, column, content) => make(tag, { class: column.class ?? "", ...(tag === "th" ? { scope: "col" } : {}) }, content ?? "");
  return make("div", { class: "scroll" }, make("table", {},
    make("caption", { class: "hidden" }, caption),
    make("thead", {}, make("tr", {}, ...columns.map((c) => cell("th", c, c.title)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((content, i) => cell("td", columns[i], content)))))));
}
