import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../../api/client.ts";
import { publish, type Made, type Progress, type Publication, type Published } from "./publish.ts";

export type PublishState =
  | { kind: "idle" }
  | { kind: "running"; progress: Progress }
  | { kind: "failed"; error: unknown };

/** Runs a publish. After a failure, the same content continues at the step that failed. */
export function usePublish(onPublished: (published: Published) => void) {
  const [state, setState] = useState<PublishState>({ kind: "idle" });
  const made = useRef<{ files: Publication["files"]; made: Made }>(undefined);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  useLeaveWarning(state.kind === "running");

  const start = async (publication: Publication) => {
    if (running.current) return;
    if (made.current?.files !== publication.files) made.current = { files: publication.files, made: {} };
    const controller = new AbortController();
    running.current = controller;
    const report = (progress: Progress) => setState({ kind: "running", progress });
    report({ step: "packing", done: 0, total: 0 });
    try {
      const published = await publish(publication, made.current.made, report, controller.signal);
      setState({ kind: "idle" });
      onPublished(published);
    } catch (error) {
      setState(controller.signal.aborted ? { kind: "idle" } : { kind: "failed", error });
    } finally {
      running.current = undefined;
    }
  };
  const cancel = () => running.current?.abort(new DOMException("Canceled", "AbortError"));
  const reset = () => setState({ kind: "idle" });
  return { state, start, cancel, reset };
}

/** The browser asks before it leaves a page that is sending. */
export function useLeaveWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isActive]);
}

/** The version that became current since the edit began; undefined for every other failure. */
export function newerVersion(error: unknown): { version: number; semver: string } | undefined {
  if (!(error instanceof ApiError) || error.code !== "conflict") return undefined;
  const current = error.details["current"] as { version?: unknown; semver?: unknown } | undefined;
  if (typeof current?.version !== "number" || typeof current.semver !== "string") return undefined;
  return { version: current.version, semver: current.semver };
}
