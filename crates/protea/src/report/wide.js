// Boxes that hold more than they show say so, and on which side; without scripts a shadow does where columns are hidden.
const watchWide = box => {
  const hint = document.createElement("p");
  hint.className = "more";
  hint.hidden = true;
  box.before(hint);
  const look = () => {
    const sides = [
      [box.scrollLeft > 1, "←"],
      [box.scrollLeft + box.clientWidth < box.scrollWidth - 1, "→"],
      [box.scrollTop > 1, "↑"],
      [box.scrollTop + box.clientHeight < box.scrollHeight - 1, "↓"],
    ].filter(([more]) => more).map(([, arrow]) => arrow);
    hint.hidden = sides.length === 0;
    hint.textContent = "scroll for more " + sides.join(" ");
  };
  box.addEventListener("scroll", look, { passive: true });
  const sizes = new ResizeObserver(look);
  [box, ...box.children].forEach(e => sizes.observe(e));
};
document.querySelectorAll(".wide, .cards, #sliders").forEach(watchWide);
