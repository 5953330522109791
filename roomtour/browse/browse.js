"use strict";
// Shows the rows that fit the filters, some at a time. The address holds filters and page, so it can be sent along.
const PAGE_ROWS = 10;
const FACETS = ["kind", "type", "tour", "split", "state", "reason"];
const ANSWERS = ["assistant", "gpt", "answer", "answers", "text"];
const rows = [...document.querySelectorAll("script[type='application/json']")].flatMap((data) => {
  const some = JSON.parse(data.textContent);
  data.remove();
  return some;
});
const varied = FACETS.filter((facet) => new Set(rows.map((row) => row[facet])).size > 1);
const nav = document.querySelector(".filters");
const field = (name) => nav.querySelector(`[name=${name}]`);
const place = document.getElementById("rows");
let state = null; // of the page, as the address has it

// Text enters the page as text only; nothing of a row is ever read as markup.
function make(name, values = {}, ...children) {
  const element = document.createElement(name);
  Object.assign(element, values);
  element.append(...children);
  return element;
}

function makeSvg(name, values, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(values).forEach(([key, value]) => element.setAttribute(key, value));
  element.append(...children);
  return element;
}

function wordsOf(row) {
  row.words ??= JSON.stringify([row.id, row.type, row.tour, row.reason, row.turns, row.lines, row.fields,
    row.pictures.map((picture) => picture.told)]).toLowerCase();
  return row.words;
}

// Rows that fit all filters, and for each choice of a filter how many fit it and all the other filters.
function find(words) {
  const counts = new Map(FACETS.map((facet) => [facet, new Map()]));
  const found = rows.filter((row) => {
    const holds = words.every((word) => wordsOf(row).includes(word));
    const missed = FACETS.filter((facet) => state.has(facet) && row[facet] !== state.get(facet));
    for (const [facet, count] of counts) {
      const counted = holds && missed.every((one) => one === facet);
      count.set(row[facet], (count.get(row[facet]) ?? 0) + (counted ? 1 : 0));
    }
    return holds && missed.length === 0;
  });
  return { found, counts };
}

function drawBoxes(boxes, { naturalWidth: width, naturalHeight: height, clientWidth }) {
  const letter = (14 * width) / (clientWidth || width);
  const tab = letter * 1.25;
  const marks = boxes.flatMap(([mark, x0, y0, x1, y1, color, ink]) => {
    const top = y0 >= tab ? y0 - tab : Math.max(y0, 0); // above the box, so that a small one is seen
    const wide = letter * (0.5 + 0.75 * mark.length);
    const isPoint = x0 === x1 && y0 === y1;
    const ring = (color, line) => makeSvg("circle", { cx: x0, cy: y0, r: letter * 0.5, fill: "none", stroke: color, "stroke-width": letter * line });
    return isPoint ? [
      ring("#fff", 0.4), ring(color, 0.2),
      makeSvg("text", { x: Math.min(x0 + letter, width - letter), y: Math.max(y0 - letter * 0.6, letter), fill: color, "font-size": letter * 1.2, class: "box-key point-key" }, mark),
    ] : [
      makeSvg("rect", { x: x0, y: y0, width: Math.max(x1 - x0, 0), height: Math.max(y1 - y0, 0), stroke: color, class: "box" }),
      makeSvg("rect", { x: x0, y: top, width: wide, height: tab, fill: color }),
      makeSvg("text", { x: x0 + wide / 2, y: top + tab * 0.54, fill: ink, "font-size": letter, class: "box-key" }, mark),
    ];
  });
  return makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...marks);
}

function showPicture({ address, told, boxes }) {
  if (!address) return make("figure", {}, make("figcaption", { textContent: told }));
  if (address.endsWith(".mp4")) return make("figure", {}, make("video", { src: address, controls: true, preload: "none" }));
  const image = make("img", { loading: "lazy", alt: told });
  const link = make("a", { href: address, title: told }, image);
  const figure = make("figure", {}, link);
  image.addEventListener("load", () => {
    if (boxes.length) link.append(drawBoxes(boxes, image));
  });
  image.addEventListener("error", () => {
    figure.replaceChildren(make("figcaption", { textContent: `${told}: is no longer there, or is no picture` }));
  });
  image.src = address;
  return figure;
}

function showPairs(pairs, className) {
  return make("dl", { className }, ...pairs.flatMap(([name, text]) => [
    make("dt", { textContent: name }),
    make("dd", { textContent: text, className: ANSWERS.includes(name) ? "answer" : "" }),
  ]));
}

function showRow(row) {
  const meta = varied.filter((facet) => row[facet]).map((facet) =>
    make("span", { className: row.state === "rejected" && ["state", "reason"].includes(facet) ? "bad" : "", textContent: row[facet] }));
  const own = make("a", { href: `#${new URLSearchParams({ words: row.id })}`, textContent: row.id });
  const section = make("section", { className: "row" }, make("p", { className: "meta" }, ...meta, make("code", {}, own)));
  const media = row.pictures.map(showPicture);
  const said = make("div", {}, showPairs(row.turns, "values turns"));
  section.append(make("div", { className: media.length === 1 ? "beside" : "" }, make("div", { className: "media" }, ...media), said));
  said.append(make("ul", { className: "small" }, ...row.lines.map((line) => make("li", { textContent: line }))));
  const fields = Object.entries(row.fields);
  if (fields.length) {
    const summary = make("summary", { textContent: `${fields.length} other field${fields.length === 1 ? "" : "s"}` });
    said.append(make("details", {}, summary, showPairs(fields, "values")));
  }
  return section;
}

function showChoices(facet, counts) {
  const select = field(facet);
  select.parentElement.hidden = !varied.includes(facet);
  const named = [...counts].filter(([value, count]) => value && (count || value === state.get(facet)));
  named.sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
  select.replaceChildren(new Option("all", ""), ...named.map(([value, count]) => new Option(`${value} (${count})`, value)));
  select.value = state.get(facet) ?? "";
}

function readAddress() {
  if (state && location.hash.slice(1) === String(state)) return; // as it is shown
  state = new URLSearchParams(location.hash.slice(1));
  show();
}

function show() {
  const words = (state.get("words") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (field("words") !== document.activeElement) field("words").value = state.get("words") ?? "";
  const { found, counts } = find(words);
  counts.forEach((count, facet) => showChoices(facet, count));
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(Math.max(Number.parseInt(state.get("page") ?? "1", 10) || 1, 1), pages);
  const first = (page - 1) * PAGE_ROWS;
  const shown = found.slice(first, first + PAGE_ROWS);
  const told = shown.length ? `${first + 1}–${first + shown.length} of ${found.length}` : "0 of 0";
  nav.querySelector("output").textContent = found.length < rows.length ? `${told} (all: ${rows.length})` : told;
  field("back").disabled = page === 1;
  field("on").disabled = page === pages;
  place.dataset.page = page;
  place.replaceChildren(...(shown.length ? shown.map(showRow) : [make("p", { className: "none", textContent: "No row fits." })]));
}

function go(name, value) {
  state[value ? "set" : "delete"](name, value);
  if (name !== "page") state.delete("page");
  location.replace(`#${state}`);
  show(); // the event of a new address comes later, and a second key before it
}

function turn(step) {
  if (field(step < 0 ? "back" : "on").disabled) return;
  go("page", String(Number(place.dataset.page) + step));
  scrollTo({ top: 0, behavior: "instant" });
}

field("words").addEventListener("input", (event) => go("words", event.target.value));
FACETS.forEach((facet) => field(facet).addEventListener("change", (event) => go(facet, event.target.value)));
field("back").addEventListener("click", () => turn(-1));
field("on").addEventListener("click", () => turn(1));
addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, video") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowLeft") turn(-1);
  if (event.key === "ArrowRight") turn(1);
});
addEventListener("hashchange", readAddress);
nav.hidden = false;
readAddress();
