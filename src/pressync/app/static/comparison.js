"use strict";
/* Texts from outside become text nodes here. Rendered texts go into a frame without rights. */
const FRAME = "FRAME_CSS";

function element(name, className, ...inside) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...inside);
  return made;
}

function sourceDiff(text) {
  const shown = element("pre", "");
  const lines = text.split("\n");
  lines.forEach((line, number) => {
    const heads = line.startsWith("--- ") && (lines[number + 1] || "").startsWith("+++ ");
    const headed = line.startsWith("+++ ") && (lines[number - 1] || "").startsWith("--- ");
    if (heads || headed) shown.append(element("span", "side", line));
    else if (line.startsWith("@@")) shown.append(element("span", "at", line));
    else if (line.startsWith("+")) shown.append(element("ins", "", line));
    else if (line.startsWith("-")) shown.append(element("del", "", line));
    else shown.append(line + "\n");
  });
  return shown;
}

function renderedDiff(rows) {
  const frame = element("iframe", "");
  frame.setAttribute("sandbox", "");
  frame.title = "Rendered: the site on the left, the file on the right";
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><style>' + FRAME + "</style><title>-</title><body>";
  frame.srcdoc = head + rows;
  return frame;
}

function comparison(sides) {
  const source = element("section", "source", element("h3", "", "Source"));
  if (sides.source) source.append(sides.source.startsWith("(") ? element("p", "", sides.source) : sourceDiff(sides.source));
  else source.append(element("p", "", "The source is the same."));
  const rendered = element("section", "rendered", element("h3", "", sides.heading || "Rendered: live | this plan"));
  if (sides.rendered) rendered.append(renderedDiff(sides.rendered));
  else rendered.append(element("p", "", sides.why || "Both sides look the same."));
  return element("div", "sides", source, rendered);
}
