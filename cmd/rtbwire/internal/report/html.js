
"use strict";
(function () {
  const form = document.querySelector("form.filter");
  if (!form) return;
  const list = document.querySelector(".rules");
  const rules = Array.from(list.children);
  const texts = rules.map(function (r) { return r.textContent.toLowerCase(); });
  const order = { error: 0, warn: 1, info: 2 };
  const by = {
    severity: function (a, b) { return order[a.dataset.severity] - order[b.dataset.severity] || b.dataset.findings - a.dataset.findings; },
    findings: function (a, b) { return b.dataset.findings - a.dataset.findings; },
    documents: function (a, b) { return b.dataset.documents - a.dataset.documents; },
    id: function (a, b) { return a.dataset.id < b.dataset.id ? -1 : a.dataset.id > b.dataset.id ? 1 : 0; }
  };
  function filter() {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rules.forEach(function (rule, i) {
      const show = form.elements[rule.dataset.severity].checked && words.every(function (w) { return texts[i].includes(w); });
      rule.hidden = !show;
      if (show) shown++;
    });
    form.querySelector("output").textContent = shown === rules.length ? rules.length + " rules" : shown + " of " + rules.length + " rules";
  }
  function sort() {
    rules.slice().sort(by[form.elements.sort.value]).forEach(function (rule) { list.append(rule); });
  }
  form.addEventListener("submit", function (e) { e.preventDefault(); });
  form.addEventListener("input", filter);
  form.elements.sort.addEventListener("change", sort);
  form.hidden = false;
  filter();
})();
