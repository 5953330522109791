// Takes one key for the answer and one for the rationale, and sends both.
(() => {
  const groups = ["qa", "rationale"].map((name) => document.getElementById(name));
  if (groups[0] === null) return;
  const chosen = [null, null];

  function show() {
    groups.forEach((group, place) => {
      for (const button of group.querySelectorAll(".rate")) press(button, Number(button.value) === chosen[place]);
      group.classList.toggle("current", chosen[0] === null ? place === 0 : place === 1);
    });
  }

  function rate(place, value) {
    if (sending) return;
    chosen[place] = value;
    if (chosen[0] === 1) chosen[1] = 1; // no reason can justify a wrong answer
    show();
    if (!chosen.includes(null)) {
      send({ qa: chosen[0], rationale: chosen[1], wrong_words: findMarked(), note: note.value });
    }
  }

  groups.forEach((group, place) => {
    for (const button of group.querySelectorAll(".rate")) {
      button.addEventListener("click", () => rate(place, Number(button.value)));
    }
  });
  if (!groups.some((group) => group.querySelector('[aria-pressed="true"]'))) show();

  takeKeys((key) => {
    if (["1", "2", "3"].includes(key)) rate(chosen[0] === null ? 0 : 1, Number(key));
    else if (key === "Escape" && !sending) {
      chosen.fill(null);
      show();
    } else return false;
    return true;
  });
})();
