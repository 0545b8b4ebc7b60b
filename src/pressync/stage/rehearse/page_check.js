// Checks one page as a reader sees it. The page evaluates it; the value is a list of faults {kind, place, detail}.
//
// `content` is the selector of the texts that people wrote, and `isList` tells whether the page is a list of posts. There
// the ids of headings may stand twice, because they are addresses inside their own pages.
(content, isList) => {
  const faults = [];
  const roots = [...document.querySelectorAll(content)].filter((root) => !root.parentElement.closest(content));
  const place = (element) => {
    const source = (element.getAttribute("src") || "").replace(location.origin, "");
    const words = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40) || source;
    return `<${element.localName}> ${words}`.trim();
  };
  const add = (kind, element, detail) => faults.push({ kind, place: place(element), detail });

  // Without a text there is nothing to judge, and silence would be praise.
  if (!roots.length) return [{ kind: "empty", place: document.title, detail: "has no text of a record" }];

  // A box that scrolls or clips keeps what is in it. So only boxes outside of such a box can leave the column.
  const clips = (element) => getComputedStyle(element).overflowX !== "visible";
  const isShown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && getComputedStyle(element).visibility === "visible";
  };
  const widen = (root) => {
    for (const block of root.children) {
      const column = block.getBoundingClientRect();
      if (isShown(block) && column.right > innerWidth + 1) add("wide", block, `ends at ${Math.round(column.right)} of ${innerWidth} px`);
      const inside = clips(block) ? [] : [...block.children];
      if (isShown(block) && !clips(block) && block.scrollWidth > block.clientWidth + 1 && getComputedStyle(block).display === "block")
        add("wide", block, `its text is ${block.scrollWidth} px wide in ${block.clientWidth}`);
      while (inside.length) {
        const element = inside.pop();
        // A paragraph with nothing but a floating picture has no height, and the picture may still leave it.
        if (!isShown(element)) {
          if (!clips(element)) inside.push(...element.children);
          continue;
        }
        const box = element.getBoundingClientRect();
        if (box.right > column.right + 1.5) {
          add("wide", element, `ends at ${Math.round(box.right)}, its column at ${Math.round(column.right)} px`);
        } else if (!clips(element) && element.localName !== "math") inside.push(...element.children);
      }
    }
  };
  roots.forEach(widen);
  const whole = document.documentElement;
  if (!faults.length && whole.scrollWidth > innerWidth + 1) {
    const widest = roots.flatMap((root) => [...root.querySelectorAll("*")])
      .find((element) => element.getBoundingClientRect().right > innerWidth + 1 && isShown(element));
    if (widest) add("wide", widest, `the page scrolls sideways: ${whole.scrollWidth} px in ${innerWidth}`);
  }

  for (const root of roots) {
    for (const picture of root.querySelectorAll('img[src*="/uploads/"]')) {
      if (!picture.complete || !picture.naturalWidth) add("picture", picture, "does not load");
      if (!picture.hasAttribute("width") || !picture.hasAttribute("height")) add("unsized", picture, "has no width and height");
      const isRaster = /\.(jpe?g|png|webp|gif|avif)$/i.test(new URL(picture.src).pathname);
      const full = Number(picture.getAttribute("width")) || picture.naturalWidth;
      if (isRaster && full > 300 && !picture.hasAttribute("srcset")) add("unsized", picture, "has no srcset");
    }
  }

  // A target is the first element of its id, so a second one is never reached.
  const ids = new Map();
  for (const element of document.querySelectorAll("[id]")) ids.set(element.id, [...(ids.get(element.id) || []), element]);
  const inContent = (element) => roots.some((root) => root.contains(element));
  for (const [id, elements] of ids) {
    const ours = elements.filter(inContent).filter((element) => !isList || !/^h[1-6]$/.test(element.localName));
    if (elements.length > 1 && ours.length) add("double id", ours[0], `#${id} stands ${elements.length} times`);
  }
  for (const root of roots) {
    for (const link of root.querySelectorAll('a[href^="#"]')) {
      // A browser looks for the name as it is written, and then for what it means.
      const written = link.getAttribute("href").slice(1);
      const names = [written, decodeURIComponent(written)];
      const isThere = (name) => document.getElementById(name) || document.getElementsByName(name).length;
      if (written && !names.some(isThere)) add("dead link", link, `#${names[1]}`);
    }
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (text.parentElement.closest("pre, code, kbd, samp, script, style, annotation, textarea")) continue;
      const typed = text.data.match(/\[!|\*\*|\{\{|\$\$|:::|\[\[/);
      if (typed) add("typed", text.parentElement, `shows ${typed[0]}`);
    }
  }
  return faults;
}
