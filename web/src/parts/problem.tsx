import { Button } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { ApiError } from "../api/client.ts";
import { messages } from "../messages.ts";

/** The failure of one part or form, in its place, with the request's id. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === null || error === undefined) return null;
  return (
    <div className="note danger" role="alert">
      <CircleAlert className="i" />
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
