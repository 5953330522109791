"use strict";
// Marks words, takes one key per answer, and goes on only when the answer is on the disk.
(() => {
  const scores = [...document.querySelectorAll(".score")];
  if (scores.length === 0) return;
  const words = [...document.querySelectorAll(".word")];
  const note = document.getElementById("note");
  const status = document.getElementById("status");
  const token = document.querySelector('meta[name="review-token"]').content;
  let sending = false;

  async function judge(score) {
    if (sending) return;
    sending = true;
    status.textContent = "";
    for (const button of scores) button.setAttribute("aria-pressed", String(Number(button.value) === score));
    const wrong = words.flatMap((word, place) => (word.getAttribute("aria-pressed") === "true" ? [place] : []));
    try {
      const reply = await fetch(location.pathname, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Review-Token": token },
        body: JSON.stringify({ score, wrong_words: wrong, note: note.value }),
      });
      const said = await reply.json();
      if (!reply.ok) throw new Error(said.error);
      location.assign(said.next);
    } catch (error) {
      status.textContent = `Not saved: ${error.message}. Is roomtour review still running?`;
      sending = false;
    }
  }

  for (const button of scores) button.addEventListener("click", () => judge(Number(button.value)));
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
    if (["1", "2", "3", "4"].includes(event.key)) judge(Number(event.key));
    else if (event.key === "ArrowLeft") document.querySelector("a#back")?.click();
    else if (event.key === "ArrowRight") document.querySelector("a#skip")?.click();
    else if (event.key === "n") {
      event.preventDefault();
      note.focus();
    }
  });
})();
