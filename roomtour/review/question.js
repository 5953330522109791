"use strict";
// Sends what a person made of a suggested question, and goes on only when it is on the disk.
(() => {
  const question = document.getElementById("question");
  if (question === null) return;
  const answer = document.getElementById("answer");
  const status = document.getElementById("status");
  const token = document.querySelector('meta[name="review-token"]').content;
  const plain = (text) => text.split(/\s+/).filter(Boolean).join(" ");
  let sending = false;

  async function send(verdict) {
    if (sending) return;
    sending = true;
    status.textContent = "";
    const isReworded = plain(question.value) !== plain(question.dataset.suggested);
    try {
      const reply = await fetch(location.pathname, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Review-Token": token },
        body: JSON.stringify({
          verdict: verdict === "use" && isReworded ? "reword" : verdict,
          question: question.value,
          answer: answer.value,
        }),
      });
      const said = await reply.json();
      if (!reply.ok) throw new Error(said.error);
      location.assign(said.next);
    } catch (error) {
      status.textContent = `Not saved: ${error.message}`;
      sending = false;
    }
  }

  for (const button of document.querySelectorAll(".verdict")) {
    button.addEventListener("click", () => send(button.value));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Enter" && event.target !== question) {
      event.preventDefault();
      send(event.target.value === "skip" ? "skip" : "use");
    } else if (event.key === "Escape") {
      send("skip");
    }
  });
})();
