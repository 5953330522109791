"use strict";
// Shows the card of the frame that the walk has come to, or of one that was chosen below.
(() => {
  const aside = document.getElementById("rt-aside");
  const fold = document.getElementById("rt-fold");
  const follow = document.getElementById("rt-follow");
  const buttons = [...document.querySelectorAll("#rt-frames button")];
  let shown = buttons[0].value;
  let walk = shown;
  let chosen = null;

  function show(frame) {
    document.getElementById(`rt-${shown}`).hidden = true;
    document.getElementById(`rt-${frame}`).hidden = false;
    shown = frame;
    for (const button of buttons) {
      if (button.value === frame) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    follow.hidden = chosen === null;
  }

  // Called by the recording; going back in it replays everything before, so only the last call of a turn is drawn.
  let waiting = false;
  window.roomtourShow = (frame) => {
    walk = String(frame);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (chosen === null) show(walk);
    });
  };

  for (const button of buttons) {
    const picture = document.querySelector(`#rt-${button.value} svg`).cloneNode(true);
    picture.setAttribute("aria-hidden", "true");
    for (const part of [...picture.children]) if (part.tagName !== "image") part.remove();
    button.prepend(picture);
    button.addEventListener("click", () => {
      chosen = button.value;
      show(chosen);
      aside.scrollTo({ top: 0 });
    });
  }
  follow.addEventListener("click", () => {
    chosen = null;
    show(walk);
  });
  fold.addEventListener("click", () => {
    const folded = aside.classList.toggle("folded");
    fold.setAttribute("aria-expanded", String(!folded));
    window.dispatchEvent(new Event("resize"));
  });
  show(shown);
})();
