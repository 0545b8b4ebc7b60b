
const list = document.querySelector("#changes");
const rows = list ? [...list.children] : [];
const form = document.querySelector("form");
const search = document.querySelector("#search");
const keys = document.querySelector("#keys");
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
const number = new Intl.NumberFormat("en");
let current = null;

function build(row) {
  const place = row.querySelector(".inside");
  const data = document.getElementById(row.id + "-sides");
  if (!data || place.childElementCount) return;
  const sides = JSON.parse(data.textContent);
  place.append(sides.cut ? element("p", "", sides.cut) : comparison(sides));
}

function filter() {
  const pressed = [...form.querySelectorAll("button[data-action][aria-pressed=true]")].map((each) => each.dataset.action);
  const [kind, folder] = [form.elements.kind.value, form.elements.folder.value];
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  let all = 0;
  for (const row of rows) {
    const data = row.dataset;
    const fits = (!pressed.length || pressed.includes(data.action)) && (!kind || data.kind === kind)
      && (!folder || data.path.startsWith(folder)) && words.every((word) => texts.get(row).includes(word));
    row.hidden = !fits;
    all += Number(data.count);
    if (fits) shown += Number(data.count);
  }
  form.querySelector("output").value = `${number.format(shown)} of ${number.format(all)} changes`;
  if (current && current.hidden) mark(null);
}

function mark(row) {
  if (current) current.classList.remove("current");
  current = row;
  if (!row) return;
  row.classList.add("current");
  row.querySelector("summary").focus({ preventScroll: true });
  row.scrollIntoView({ block: "center" });
}

function step(by) {
  const shown = rows.filter((row) => !row.hidden);
  const at = shown.indexOf(current) + (by > 0 || current ? by : 0);
  if (shown.length) mark(shown[Math.max(0, Math.min(shown.length - 1, at))]);
}

function view(name) {
  document.body.className = "view-" + name;
  form.elements.view.value = name;
}

const commands = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => search.focus(),
  v: () => view({ both: "source", source: "rendered", rendered: "both" }[form.elements.view.value]),
  c: () => { form.reset(); form.querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", "false")); filter(); },
  "?": () => keys.showModal(),
};

if (form) {
  form.addEventListener("submit", (event) => { event.preventDefault(); step(1); });
  form.addEventListener("input", (event) => event.target.name === "view" ? view(event.target.value) : filter());
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-action]");
    if (event.target.closest("#show-keys")) keys.showModal();
    if (!button) return;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    filter();
  });
  list.addEventListener("toggle", (event) => { if (event.target.open) build(event.target.closest("li.change")); }, true);
  list.addEventListener("focusin", (event) => {
    const row = event.target.closest("li.change");
    if (row && row !== current && event.target.tagName === "SUMMARY") {
      if (current) current.classList.remove("current");
      current = row;
      row.classList.add("current");
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target === search && event.key === "Escape") { search.blur(); event.preventDefault(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (!commands[event.key]) return;
    event.preventDefault();
    commands[event.key]();
  });
  filter();
}
