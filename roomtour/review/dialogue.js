"use strict";
// Marks turns, takes one key per judgement, and goes on only when the judgement is on the disk.
(() => {
  const choices = [...document.querySelectorAll("#judgements button")];
  if (choices.length === 0) return;
  const turns = [...document.querySelectorAll(".turn")];
  const note = document.getElementById("note");
  const status = document.getElementById("status");
  const token = document.querySelector('meta[name="review-token"]').content;
  let sending = false;

  async function judge(choice) {
    if (sending) return;
    sending = true;
    status.textContent = "";
    const accepted = choice.dataset.accepted === "true";
    const wrong = turns.flatMap((turn, place) => (turn.getAttribute("aria-pressed") === "true" ? [place] : []));
    try {
      const reply = await fetch(location.pathname, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Review-Token": token },
        body: JSON.stringify({ accepted, reason: accepted ? null : choice.value, wrong_turns: wrong, note: note.value }),
      });
      const said = await reply.json();
      if (!reply.ok) throw new Error(said.error);
      location.assign(said.next);
    } catch (error) {
      status.textContent = `Not saved: ${error.message}`;
      sending = false;
    }
  }

  for (const choice of choices) choice.addEventListener("click", () => judge(choice));
  for (const turn of turns) {
    turn.addEventListener("click", () => {
      turn.setAttribute("aria-pressed", String(turn.getAttribute("aria-pressed") !== "true"));
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target === note) {
      if (event.key === "Escape") note.blur();
      return;
    }
    if (event.key === "a") judge(choices[0]);
    else if (/^[1-9]$/.test(event.key) && choices[Number(event.key)]) judge(choices[Number(event.key)]);
    else if (event.key === "ArrowLeft") document.querySelector("a#back")?.click();
    else if (event.key === "ArrowRight") document.querySelector("a#skip")?.click();
    else if (event.key === "n") {
      event.preventDefault();
      note.focus();
    }
  });
})();
