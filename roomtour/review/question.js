// Sends what a person made of a suggested question.
(() => {
  const question = document.getElementById("question");
  if (question === null) return;
  const answer = document.getElementById("answer");
  const plain = (text) => text.split(/\s+/).filter(Boolean).join(" ");

  function judge(verdict) {
    const isReworded = plain(question.value) !== plain(question.dataset.suggested);
    const told = verdict === "use" && isReworded ? "reword" : verdict;
    send({ verdict: told, question: question.value, answer: answer.value });
  }

  for (const button of document.querySelectorAll(".verdict")) {
    button.addEventListener("click", () => judge(button.value));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Enter" && event.target !== question) {
      event.preventDefault();
      judge(event.target.value === "skip" ? "skip" : "use");
    } else if (event.key === "Escape") {
      judge("skip");
    }
  });
})();
