"use strict";
// Takes A, B or a tie in four respects, and goes on only when all four are on the disk.
(() => {
  const groups = [...document.querySelectorAll(".vote")];
  if (groups.length === 0) return;
  const status = document.getElementById("status");
  const token = document.querySelector('meta[name="review-token"]').content;
  const votes = new Map();
  let sending = false;

  function show() {
    const current = groups.find((group) => !votes.has(group.id));
    for (const group of groups) {
      for (const button of group.querySelectorAll(".rate")) {
        button.setAttribute("aria-pressed", String(button.value === votes.get(group.id)));
      }
      group.classList.toggle("current", group === current);
    }
  }

  async function send() {
    if (sending) return;
    sending = true;
    status.textContent = "";
    try {
      const reply = await fetch(location.pathname, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Review-Token": token },
        body: JSON.stringify(Object.fromEntries(votes)),
      });
      const said = await reply.json();
      if (!reply.ok) throw new Error(said.error);
      location.assign(said.next);
    } catch (error) {
      status.textContent = `Not saved: ${error.message}. Is roomtour review still running?`;
      sending = false;
    }
  }

  function vote(group, value) {
    if (sending) return;
    votes.set(group.id, value);
    show();
    if (votes.size === groups.length) send();
  }

  for (const group of groups) {
    for (const button of group.querySelectorAll(".rate")) {
      button.addEventListener("click", () => vote(group, button.value));
    }
  }
  if (!groups.some((group) => group.querySelector('[aria-pressed="true"]'))) show();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const value = { a: "A", b: "B", t: "tie" }[event.key.toLowerCase()];
    const open = groups.find((group) => !votes.has(group.id));
    if (value !== undefined && open !== undefined) vote(open, value);
    else if (event.key === "Escape" && !sending) {
      votes.clear();
      show();
    } else if (event.key === "ArrowLeft") document.querySelector("a#back")?.click();
    else if (event.key === "ArrowRight") document.querySelector("a#skip")?.click();
  });
})();
