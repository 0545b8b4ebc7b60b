
(() => {
  const loaded = document.currentScript.dataset.stage;
  const at = location.pathname + location.search;
  const host = document.createElement("pressync-preview");
  const root = host.attachShadow({ mode: "open" });
  const style = element("link", "");
  style.rel = "stylesheet";
  style.href = "/-/preview/overlay.css";
  const bar = element("div", "");
  const panel = element("div", "view-both");
  const all = element("div", "", bar, panel);
  [all.id, bar.id, panel.id] = ["all", "bar", "panel"];
  all.hidden = true;
  root.append(style, all);
  document.body.append(host);
  let facts = null;
  let open = sessionStorage.getItem("pressync-panel") || "";

  const pause = (time) => new Promise((done) => setTimeout(done, time));

  function button(name, label) {
    const made = element("button", "", label);
    made.type = "button";
    made.dataset.panel = name;
    made.setAttribute("aria-expanded", String(open === name));
    made.addEventListener("click", () => toggle(name));
    return made;
  }

  function toggle(name) {
    open = open === name ? "" : name;
    sessionStorage.setItem("pressync-panel", open);
    draw();
  }

  function problems() {
    return element("ul", "", ...facts.problems.map(([word, text]) => element("li", "", element("span", word, word), " " + text)));
  }

  function changes() {
    const rows = facts.changes.map(([word, path, address, reason]) => {
      const link = element("a", "", path);
      link.href = address;
      return element("li", "", element("span", "mark " + word, word), " ", link, " " + reason);
    });
    if (facts.more) rows.push(element("li", "", `… and ${facts.more} more`));
    return element("ul", "", ...rows);
  }

  function draw() {
    all.hidden = false;
    all.className = facts.action;
    const errors = facts.problems.filter(([word]) => word === "error").length;
    bar.replaceChildren(
      element("span", "mark " + facts.action, { keep: "up to date", problem: "problem", "": "preview" }[facts.action] || facts.action),
      element("code", "", facts.path || ""),
      element("span", "", facts.reason),
    );
    if (facts.problems.length) bar.append(button("problems", `${facts.problems.length} ${facts.problems.length === 1 ? "problem" : "problems"}`));
    if (facts.sides) bar.append(button("sides", "Compare"));
    bar.append(button("changes", `${facts.changes.length + facts.more} to send`));
    panel.replaceChildren();
    if ((open === "problems" || errors) && facts.problems.length) panel.append(problems());
    if (open === "sides" && facts.sides) panel.append(comparison(facts.sides));
    if (open === "changes") panel.append(changes());
    // The end of the page stays in sight.
    document.body.style.paddingBottom = bar.offsetHeight + "px";
  }

  async function follow() {
    let since = 0;
    for (;;) {
      let said;
      try {
        const response = await fetch(`/-/preview/state?at=${encodeURIComponent(at)}&since=${since}`);
        said = await response.json();
      } catch (error) {
        all.hidden = false;
        bar.replaceChildren(element("span", "error", "The preview has ended, or does not answer."));
        await pause(2000);
        continue;
      }
      if (said.stage !== loaded) { location.reload(); return; }
      if (said.number > since) {
        since = said.number;
        facts = said;
        const address = facts.address && new URL(facts.address, location.origin);
        if (at.startsWith("/-/preview/file") && address && address.origin === location.origin && !address.pathname.startsWith("/-/")) {
          location.replace(address);
          return;
        }
        draw();
      }
      if (said.again) await pause(said.again);
    }
  }

  root.addEventListener("keydown", (event) => { if (event.key === "Escape" && open) toggle(open); });
  follow();
})();
