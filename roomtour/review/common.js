"use strict";
// What the pages of all kinds share: marks, keys, and sending; it goes on only when the judgement is on the disk.
const note = document.getElementById("note");
const pressed = (element) => element.getAttribute("aria-pressed") === "true";
const press = (element, is) => element.setAttribute("aria-pressed", String(is));
let sending = false;

async function send(body) {
  if (sending) return;
  sending = true;
  const status = document.getElementById("status");
  status.textContent = "";
  try {
    const token = document.querySelector('meta[name="review-token"]').content;
    const reply = await fetch(location.pathname, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Review-Token": token },
      body: JSON.stringify(body),
    });
    const said = await reply.json();
    if (!reply.ok) throw new Error(said.error);
    location.assign(said.next);
  } catch (error) {
    status.textContent = `Not saved: ${error.message}. Is roomtour review still running?`;
    sending = false;
  }
}

const marks = [...document.querySelectorAll(".word, .turn")];
for (const mark of marks) mark.addEventListener("click", () => press(mark, !pressed(mark)));
const findMarked = () => marks.flatMap((mark, place) => (pressed(mark) ? [place] : []));

// Hands keys outside of the note to `take`, which tells whether it knows them; the others go to and fro.
function takeKeys(take) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (note !== null && event.target === note) {
      if (event.key === "Escape") note.blur();
    } else if (!take(event.key)) {
      if (event.key === "ArrowLeft") document.querySelector("a#back")?.click();
      else if (event.key === "ArrowRight") document.querySelector("a#skip")?.click();
      else if (event.key === "n" && note !== null) {
        event.preventDefault();
        note.focus();
      }
    }
  });
}
