/** Errors of the process of a job, as opposed to those of the job itself. */

/** The process of a job ended before the job did, or took too long. The job may be retried. */
export class ChildProcessError extends Error {
  /** `child_cancelled`: by the caller's signal, or because its worker is ending. The others are caused by the job. */
  readonly code: "child_timeout" | "child_out_of_memory" | "child_ended" | "child_cancelled";
  /** False if a retry can't help; see `isPermanent`. */
  retryable?: boolean;

  constructor(code: ChildProcessError["code"], message: string) {
    super(message);
    this.name = "ChildProcessError";
    this.code = code;
  }
}

export const cancelled = (name: string) =>
  new ChildProcessError("child_cancelled", `${name} was interrupted: its worker is ending`);

export const outOfMemory = (name: string, mb: number) =>
  new ChildProcessError("child_out_of_memory", `${name} exceeded its memory limit of ${mb} MB`);
