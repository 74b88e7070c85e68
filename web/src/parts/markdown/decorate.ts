/** Parts of a rendered text that its reader uses: wide tables scroll, and blocks of code can be copied. */

/** Puts each table into a box of its own, which scrolls sideways. */
export function wrapTables(text: HTMLElement): void {
  for (const table of text.querySelectorAll("table")) {
    const box = document.createElement("div");
    box.className = "table-box";
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Table");
    table.replaceWith(box);
    box.append(table);
  }
}

const shownMs = 2000;

/** Adds a button to each block of code that copies its text. */
export function addCopyButtons(text: HTMLElement): void {
  for (const block of text.querySelectorAll("pre")) {
    const box = document.createElement("div");
    box.className = "code-box";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-code";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy code");
    button.addEventListener("click", () => void copy(button, block.textContent));
    block.replaceWith(box);
    box.append(block, button);
  }
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const show = (label: string) => {
    button.textContent = label;
    button.setAttribute("aria-label", label === "Copy" ? "Copy code" : label);
  };
  try {
    await navigator.clipboard.writeText(text);
    show("Copied");
  } catch {
    show("Not copied");
  }
  setTimeout(() => show("Copy"), shownMs);
}
