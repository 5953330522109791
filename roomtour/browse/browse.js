"use strict";
// Shows the rows that fit the filters, some at a time. The address holds filters and page, so it can be sent along.
const PAGE_ROWS = 10;
const FACETS = ["kind", "type", "tour", "split", "state", "reason"];
const rows = [...document.querySelectorAll("script[type='application/json']")].flatMap((data) => {
  const some = JSON.parse(data.textContent);
  data.remove();
  return some;
});
const nav = document.querySelector(".filters");
const field = (name) => nav.querySelector(`[name=${name}]`);
const place = document.getElementById("rows");
let state = new URLSearchParams();

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

function fits(row, words, but) {
  return FACETS.every((facet) => facet === but || !state.has(facet) || row[facet] === state.get(facet)) &&
    words.every((word) => wordsOf(row).includes(word));
}

function drawBoxes(boxes, width, height) {
  const letter = width * 0.05;
  const marks = boxes.flatMap(([mark, x0, y0, x1, y1, color, ink]) => [
    makeSvg("rect", { x: x0, y: y0, width: Math.max(x1 - x0, 0), height: Math.max(y1 - y0, 0), stroke: color, class: "box" }),
    makeSvg("rect", { x: x0, y: y0, width: letter * (0.5 + 0.75 * mark.length), height: letter * 1.25, fill: color }),
    makeSvg("text", { x: x0 + letter * (0.25 + 0.375 * mark.length), y: y0 + letter * 0.65, fill: ink, "font-size": letter,
      class: "box-key" }, mark),
  ]);
  return makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...marks);
}

function showPicture({ address, told, boxes }) {
  if (!address) return make("figure", {}, make("figcaption", { textContent: told }));
  if (address.endsWith(".mp4")) return make("figure", {}, make("video", { src: address, controls: true, preload: "none" }));
  const image = make("img", { loading: "lazy", alt: told });
  const link = make("a", { href: address, title: told }, image);
  const figure = make("figure", {}, link);
  image.addEventListener("load", () => {
    if (boxes.length) link.append(drawBoxes(boxes, image.naturalWidth, image.naturalHeight));
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
    make("dd", { textContent: text, className: name === "assistant" || name === "gpt" ? "assistant" : "" }),
  ]));
}

function showRow(row) {
  const meta = [row.kind, row.type, row.tour, row.split].filter(Boolean).map((text) => make("span", { textContent: text }));
  if (row.state === "rejected") {
    meta.push(make("span", { className: "bad", textContent: `rejected: ${row.reason.replaceAll("_", " ")}` }));
  }
  const own = make("a", { href: `#${new URLSearchParams({ words: row.id })}`, textContent: row.id });
  const section = make("section", { className: "row" }, make("p", { className: "meta" }, ...meta, make("code", {}, own)));
  const media = row.pictures.map(showPicture);
  if (media.length) section.append(make("div", { className: media.length > 1 ? "media" : "media single" }, ...media));
  if (row.turns.length) section.append(showPairs(row.turns, "values turns"));
  if (row.lines.length) {
    section.append(make("ul", { className: "small" }, ...row.lines.map((line) => make("li", { textContent: line }))));
  }
  const fields = Object.entries(row.fields);
  if (fields.length) {
    const summary = make("summary", { textContent: `${fields.length} other fields` });
    section.append(make("details", {}, summary, showPairs(fields, "values")));
  }
  return section;
}

// Each choice says how many rows it would leave, given all the other filters.
function showChoices(facet, words) {
  const counts = new Map();
  rows.forEach((row) => {
    if (!counts.has(row[facet])) counts.set(row[facet], 0);
    if (fits(row, words, facet)) counts.set(row[facet], counts.get(row[facet]) + 1);
  });
  const select = field(facet);
  select.parentElement.hidden = counts.size < 2;
  const named = [...counts].filter(([value, count]) => value && (count || value === state.get(facet)));
  named.sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
  select.replaceChildren(new Option("all", ""), ...named.map(([value, count]) => new Option(`${value} (${count})`, value)));
  select.value = state.get(facet) ?? "";
}

function show() {
  state = new URLSearchParams(location.hash.slice(1));
  const words = (state.get("words") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (field("words") !== document.activeElement) field("words").value = state.get("words") ?? "";
  FACETS.forEach((facet) => showChoices(facet, words));
  const found = rows.filter((row) => fits(row, words));
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
addEventListener("hashchange", show);
nav.hidden = false;
show();
