"use strict";
(() => {
  const steps = [...document.querySelectorAll("#items > li")];
  const beliefs = JSON.parse(document.getElementById("beliefs").textContent);
  const [bars, place, cursor] = ["bars", "place", "cursor"].map((id) => document.getElementById(id));
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const svg = "http://www.w3.org/2000/svg";
  let here = -1;

  function bar([name, probability, text]) {
    const row = document.createElement("div");
    row.className = name === "unknown" ? "bar unknown" : "bar";
    for (const word of [name, text]) row.append(Object.assign(document.createElement("span"), { textContent: word }));
    const drawing = document.createElementNS(svg, "svg");
    drawing.setAttribute("viewBox", "0 0 100 1");
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.setAttribute("aria-hidden", "true");
    const filled = document.createElementNS(svg, "rect");
    filled.setAttribute("width", String(probability * 100));
    filled.setAttribute("height", "1");
    drawing.append(filled);
    row.append(drawing);
    return row;
  }

  function show(index) {
    here = index;
    const step = steps[index];
    steps.forEach((other) => other.classList.toggle("here", other === step));
    const belief = beliefs[Number(step.dataset.point)];
    const none = Object.assign(document.createElement("p"), { className: "none", textContent: "Nothing is believed yet." });
    bars.replaceChildren(...(belief ? belief.map(bar) : [none]));
    place.textContent = `Step ${step.id.slice(5)} (${index + 1} of ${steps.length})`;
    if (cursor) {
      const x = step.dataset.x;
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.classList.add("on");
    }
  }

  function go(index, focus) {
    const next = Math.min(Math.max(index, 0), steps.length - 1);
    if (next === here && steps[next].firstElementChild.open) return;
    if (here >= 0 && here !== next) steps[here].firstElementChild.open = false;
    steps[next].firstElementChild.open = true;
    show(next);
    const summary = steps[next].querySelector("summary");
    if (focus) summary.focus({ preventScroll: true });
    steps[next].scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
  }

  const moves = { ArrowRight: 1, ArrowLeft: -1 };
  const inList = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const target = event.target;
    const summary = target.closest("#items summary");
    if (target.closest("pre, .scroll, input, textarea, select")) return;
    const by = moves[event.key] ?? (summary ? inList[event.key] : undefined);
    if (by === undefined) return;
    event.preventDefault();
    go(here + by, true);
  });
  for (const [id, by] of [["previous", -1], ["next", 1]]) document.getElementById(id).addEventListener("click", () => go(here + by, false));
  steps.forEach((step, index) => {
    step.querySelector("summary").addEventListener("click", () => show(index));
    step.querySelector("summary").addEventListener("focus", () => show(index));
  });

  function follow() {
    const index = steps.findIndex((step) => `#${step.id}` === location.hash);
    if (index >= 0) go(index, true);
  }
  addEventListener("hashchange", follow);
  follow();

  let opened = [];
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details:not([open])")) {
      one.open = true;
      opened.push(one);
    }
  });
  addEventListener("afterprint", () => {
    opened.forEach((one) => (one.open = false));
    opened = [];
  });
})();
