"use strict";
// Marks words, takes one key per question, and goes on only when both answers are on the disk.
(() => {
  const scores = [...document.querySelectorAll("#scores .score")];
  const accuracies = [...document.querySelectorAll("#accuracy .score")];
  if (scores.length === 0) return;
  const words = [...document.querySelectorAll(".word")];
  const note = document.getElementById("note");
  const status = document.getElementById("status");
  const token = document.querySelector('meta[name="review-token"]').content;
  let sending = false;

  const pressed = (buttons) => buttons.find((button) => button.getAttribute("aria-pressed") === "true");

  function judge(buttons, value) {
    if (sending) return;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === value));
    if (pressed(scores) && pressed(accuracies)) send(Number(pressed(scores).value), pressed(accuracies).value === "true");
  }

  async function send(score, accurate) {
    sending = true;
    status.textContent = "";
    const wrong = words.flatMap((word, place) => (word.getAttribute("aria-pressed") === "true" ? [place] : []));
    try {
      const reply = await fetch(location.pathname, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Review-Token": token },
        body: JSON.stringify({ score, accurate, wrong_words: wrong, note: note.value }),
      });
      const said = await reply.json();
      if (!reply.ok) throw new Error(said.error);
      location.assign(said.next);
    } catch (error) {
      status.textContent = `Not saved: ${error.message}. Is roomtour review still running?`;
      sending = false;
    }
  }

  for (const buttons of [scores, accuracies]) {
    for (const button of buttons) button.addEventListener("click", () => judge(buttons, button.value));
  }
  for (const word of words) {
    word.addEventListener("click", () => {
      word.setAttribute("aria-pressed", String(word.getAttribute("aria-pressed") !== "true"));
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === note) {
      if (event.key === "Escape") note.blur();
      return;
    }
    if (["1", "2", "3", "4"].includes(event.key)) judge(scores, event.key);
    else if (event.key === "t") judge(accuracies, "true");
    else if (event.key === "f") judge(accuracies, "false");
    else if (event.key === "ArrowLeft") document.querySelector("a#back")?.click();
    else if (event.key === "ArrowRight") document.querySelector("a#skip")?.click();
    else if (event.key === "n") {
      event.preventDefault();
      note.focus();
    }
  });
})();
