"use strict";
// Marks words, takes one key for the answer and one for the rationale, and goes on only when both are on the disk.
(() => {
  const groups = ["qa", "rationale"].map((name) => document.getElementById(name));
  if (groups[0] === null) return;
  const words = [...document.querySelectorAll(".word")];
  const note = document.getElementById("note");
  const status = document.getElementById("status");
  const token = document.querySelector('meta[name="review-token"]').content;
  const chosen = [null, null];
  let sending = false;

  function show() {
    groups.forEach((group, place) => {
      for (const button of group.querySelectorAll(".rate")) {
        button.setAttribute("aria-pressed", String(Number(button.value) === chosen[place]));
      }
      group.classList.toggle("current", chosen[0] === null ? place === 0 : place === 1);
    });
  }

  async function send() {
    if (sending) return;
    sending = true;
    status.textContent = "";
    const wrong = words.flatMap((word, place) => (word.getAttribute("aria-pressed") === "true" ? [place] : []));
    try {
      const reply = await fetch(location.pathname, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Review-Token": token },
        body: JSON.stringify({ qa: chosen[0], rationale: chosen[1], wrong_words: wrong, note: note.value }),
      });
      const said = await reply.json();
      if (!reply.ok) throw new Error(said.error);
      location.assign(said.next);
    } catch (error) {
      status.textContent = `Not saved: ${error.message}. Is roomtour review still running?`;
      sending = false;
    }
  }

  function rate(place, value) {
    if (sending) return;
    chosen[place] = value;
    if (chosen[0] === 1) chosen[1] = 1; // no reason can justify a wrong answer
    show();
    if (chosen[0] !== null && chosen[1] !== null) send();
  }

  groups.forEach((group, place) => {
    for (const button of group.querySelectorAll(".rate")) {
      button.addEventListener("click", () => rate(place, Number(button.value)));
    }
  });
  for (const word of words) {
    word.addEventListener("click", () => {
      word.setAttribute("aria-pressed", String(word.getAttribute("aria-pressed") !== "true"));
    });
  }
  if (!groups.some((group) => group.querySelector('[aria-pressed="true"]'))) show();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === note) {
      if (event.key === "Escape") note.blur();
      return;
    }
    if (["1", "2", "3"].includes(event.key)) rate(chosen[0] === null ? 0 : 1, Number(event.key));
    else if (event.key === "Escape" && !sending) {
      chosen.fill(null);
      show();
    } else if (event.key === "ArrowLeft") document.querySelector("a#back")?.click();
    else if (event.key === "ArrowRight") document.querySelector("a#skip")?.click();
    else if (event.key === "n") {
      event.preventDefault();
      note.focus();
    }
  });
})();
