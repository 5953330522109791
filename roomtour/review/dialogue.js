// Takes one key per judgement.
(() => {
  const choices = [...document.querySelectorAll("#judgements button")];
  if (choices.length === 0) return;

  function judge(choice) {
    const accepted = choice.dataset.accepted === "true";
    send({ accepted, reason: accepted ? null : choice.value, wrong_turns: findMarked(), note: note.value });
  }

  for (const choice of choices) choice.addEventListener("click", () => judge(choice));
  takeKeys((key) => {
    const choice = key === "a" ? choices[0] : /^[1-9]$/.test(key) ? choices[Number(key)] : undefined;
    if (choice) judge(choice);
    return Boolean(choice);
  });
})();
