import { Button } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { ApiError } from "../../api/client.ts";
import { messages } from "../../messages.ts";
import { fieldError } from "../forms/form.tsx";

interface Props {
  error: unknown;
  /** Names of fields that show their own problem. The failure of such a field is not repeated. */
  fields?: readonly string[];
  retry?: () => void;
}

/** The failure of one part or form, in its place, with the request's id. */
export function Problem({ error, fields = [], retry }: Props) {
  if (error === null || error === undefined) return null;
  if (fields.some((name) => fieldError(error, name) !== undefined)) return null;
  return (
    <div className="note danger" role="alert">
      <CircleAlert className="icon" />
      <div className="grow stack">
        <span>{error instanceof Error ? error.message : messages.failed}</span>
        {error instanceof ApiError && error.requestId !== "" && (
          <span className="meta">
            {messages.requestId} <code className="mono">{error.requestId}</code>
          </span>
        )}
      </div>
      {retry && (
        <Button size="xs" variant="default" onClick={retry}>
          {messages.tryAgain}
        </Button>
      )}
    </div>
  );
}
