// Takes one key per question, and sends both answers.
(() => {
  const scores = [...document.querySelectorAll("#scores .score")];
  const accuracies = [...document.querySelectorAll("#accuracy .score")];
  if (scores.length === 0) return;

  function judge(buttons, value) {
    if (sending) return;
    for (const button of buttons) press(button, button.value === value);
    const [score, accuracy] = [scores, accuracies].map((group) => group.find(pressed));
    if (score && accuracy) {
      const accurate = accuracy.value === "true";
      send({ score: Number(score.value), accurate, wrong_words: findMarked(), note: note.value });
    }
  }

  for (const buttons of [scores, accuracies]) {
    for (const button of buttons) button.addEventListener("click", () => judge(buttons, button.value));
  }
  takeKeys((key) => {
    if (["1", "2", "3", "4"].includes(key)) judge(scores, key);
    else if (key === "t" || key === "f") judge(accuracies, String(key === "t"));
    else return false;
    return true;
  });
})();
