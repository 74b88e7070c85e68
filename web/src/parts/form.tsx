import { useEffect, useRef, type ReactNode, type SubmitEvent } from "react";
import { ApiError } from "../api/client.ts";
import { CircleAlert } from "lucide-react";

interface Props {
  label: string;
  /** Receives the text of the fields, which stay as they are: a failure keeps what was typed. */
  onSubmit: (values: Record<string, string>, form: HTMLFormElement) => void;
  error: Error | null;
  children: ReactNode;
}

/** A form of uncontrolled fields. After a failure, the first field that it concerns gets the focus. */
export function Form({ label, onSubmit, error, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values: Record<string, string> = {};
    for (const [name, value] of new FormData(event.currentTarget))
      if (typeof value === "string") values[name] = value;
    onSubmit(values, event.currentTarget);
  };
  return (
    <form ref={form} className="stack g4" aria-label={label} onSubmit={submit}>
      {children}
    </form>
  );
}

/** The problem of a field, as a sentence; undefined if it has none. */
export function fieldError(error: Error | null, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const problem = error.fields[name];
  return problem === undefined ? undefined : problem.charAt(0).toUpperCase() + problem.slice(1);
}

/** A failure that no field shows. */
export function Problem({ error, fields = [] }: { error: Error | null; fields?: readonly string[] }) {
  if (!error || fields.some((name) => fieldError(error, name) !== undefined)) return null;
  return (
    <div className="note danger" role="alert">
      <CircleAlert className="i s" />
      <span>{error.message}</span>
    </div>
  );
}
