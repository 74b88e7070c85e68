import { useEffect, useRef, type ReactNode, type SubmitEvent } from "react";
import { ApiError } from "../../api/client.ts";

interface Props {
  label: string;
  /** Receives the text of the named fields, which stay as they are: a failure keeps what was typed. */
  onSubmit: (values: Record<string, string>, form: HTMLFormElement) => void;
  error: unknown;
  children: ReactNode;
}

/** A form. After a failure, the first field that it concerns gets the focus. */
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
    <form ref={form} className="stack gap-4" aria-label={label} onSubmit={submit}>
      {children}
    </form>
  );
}

/** Fields for a password that the service compares with that of the account. */
const passwordFields = ["password", "currentPassword"];

/** The problem of a field, as a sentence; undefined if it has none. */
export function fieldError(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === "invalid_credentials" && passwordFields.includes(name)) return error.message;
  const problem = error.fields[name];
  return problem === undefined ? undefined : problem.charAt(0).toUpperCase() + problem.slice(1);
}
