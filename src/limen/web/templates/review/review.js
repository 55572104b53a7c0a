// Keys press what can be clicked; nothing here decides anything. They can be switched off, and the browser remembers.
"use strict";
(() => {
  const toggle = document.getElementById("keys");
  let on = localStorage.getItem("limen-review-keys") !== "off";
  const tell = () => {
    toggle.setAttribute("aria-pressed", String(on));
    toggle.textContent = on ? "Keys on" : "Keys off";
    document.body.classList.toggle("no-keys", !on);
  };
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    on = !on;
    localStorage.setItem("limen-review-keys", on ? "on" : "off");
    tell();
  });
  tell();
  const writing = (element) => element instanceof HTMLInputElement && element.type === "text";
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.key !== "Escape" && (!on || writing(event.target))) return;
    if (event.key === "d") {
      const all = [...document.querySelectorAll("[data-toggle]")];
      const open = all.some((one) => one.open);
      for (const one of all) one.open = !open;
      return;
    }
    const wanted = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (wanted) {
      event.preventDefault();
      wanted.click();
    }
  });
  const current = document.querySelector("nav [aria-current]");
  if (current) current.scrollIntoView({ block: "nearest", inline: "center" });
})();
