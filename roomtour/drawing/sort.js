"use strict";
// Sorts the table by the column whose heading is pressed, and hides rows that do not hold the words asked for.
const table = document.querySelector("table.sortable");
const body = table.tBodies[0];
const heads = [...table.tHead.rows[0].cells];
const said = document.getElementById("said");
const wanted = document.getElementById("wanted");

// Cells carry what they sort by; a number sorts as one, and a cell without a value comes last either way.
function order(column, ascending) {
  return (one, other) => {
    const [a, b] = [one, other].map((row) => row.cells[column].dataset.key);
    if (a === b) return 0;
    if (a === "") return 1;
    if (b === "") return -1;
    const numeric = heads[column].classList.contains("number");
    const difference = numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
    return ascending ? difference : -difference;
  };
}

heads.forEach((head, column) => {
  const button = head.querySelector("button");
  if (button === null) return;
  button.addEventListener("click", () => {
    const largestFirst = head.classList.contains("number");
    const now = head.getAttribute("aria-sort");
    const ascending = now === null ? !largestFirst : now === "descending";
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    body.append(...[...body.rows].sort(order(column, ascending)));
    said.textContent = `Sorted by ${button.textContent}, ${ascending ? "ascending" : "descending"}`;
  });
});

wanted.addEventListener("input", () => {
  const words = wanted.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const row of body.rows) {
    row.hidden = !words.every((word) => row.dataset.words.includes(word));
    shown += row.hidden ? 0 : 1;
  }
  said.textContent = `${shown} of ${body.rows.length} tours shown`;
});
document.querySelector(".search").hidden = false;
