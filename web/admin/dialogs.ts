/** The page's two dialogs: a question before what can't be taken back, and a job in full. */
import type { JobDetailPayload } from "../../contract/payloads/jobs.ts";
import { h, part, show } from "./dom.ts";
import { actions, jobDetail } from "./jobs.ts";

/** Asks, and resolves with whether it was confirmed; Escape is no. */
export function ask(question: string, yes: string): Promise<boolean> {
  const dialog = part("question", HTMLDialogElement);
  show(
    dialog,
    h("h2", { id: "question-title" }, question),
    h(
      "form",
      { method: "dialog", class: "actions" },
      h("button", { value: "yes" }, yes),
      h("button", { value: "no", class: "second", autofocus: true }, "Cancel"),
    ),
  );
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Shows a job; `undefined` for one that is still being read, or is gone. */
export function showJob(job: JobDetailPayload | undefined, text: string): void {
  const dialog = part("job", HTMLDialogElement);
  show(
    dialog,
    h("h2", { id: "job-title" }, job === undefined ? "Job" : `${job.name} #${job.id}`),
    ...(job === undefined ? [h("p", { class: "soft" }, text)] : jobDetail(job)),
    h(
      "p",
      { class: "actions" },
      ...(job === undefined ? [] : actions(job)),
      h("button", { key: "close", class: "second", "data-act": "close" }, "Close"),
    ),
  );
  if (!dialog.open) dialog.showModal();
}

export function closeJob(): void {
  part("job", HTMLDialogElement).close();
}

export function onJobClosed(act: () => void): void {
  part("job", HTMLDialogElement).addEventListener("close", act);
}
