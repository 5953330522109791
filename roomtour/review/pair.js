// Takes A, B or a tie in four respects, and sends all four.
(() => {
  const groups = [...document.querySelectorAll(".vote")];
  if (groups.length === 0) return;
  const votes = new Map();

  function show() {
    const current = groups.find((group) => !votes.has(group.id));
    for (const group of groups) {
      for (const button of group.querySelectorAll(".rate")) press(button, button.value === votes.get(group.id));
      group.classList.toggle("current", group === current);
    }
  }

  function vote(group, value) {
    if (sending) return;
    votes.set(group.id, value);
    show();
    if (votes.size === groups.length) send(Object.fromEntries(votes));
  }

  for (const group of groups) {
    for (const button of group.querySelectorAll(".rate")) {
      button.addEventListener("click", () => vote(group, button.value));
    }
  }
  if (!groups.some((group) => group.querySelector('[aria-pressed="true"]'))) show();

  takeKeys((key) => {
    const value = { a: "A", b: "B", t: "tie" }[key.toLowerCase()];
    const open = groups.find((group) => !votes.has(group.id));
    if (value !== undefined && open !== undefined) vote(open, value);
    else if (key === "Escape" && !sending) {
      votes.clear();
      show();
    } else return false;
    return true;
  });
})();
