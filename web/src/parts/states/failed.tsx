import { Button, Group } from "@mantine/core";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { ApiError } from "../../api/client.ts";
import { messages } from "../../messages.ts";
import { NotFound } from "./not-found.tsx";

/** Replaces the part of a page that failed; the rest of the page stays. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const boundary = useQueryErrorResetBoundary();
  if (error instanceof ApiError && (error.status === 404 || error.status === 401)) return <NotFound />;
  const retry = () => {
    boundary.reset();
    reset();
    void router.invalidate();
  };
  return (
    <section className="page stack" role="alert">
      <h2>{messages.failed}</h2>
      <p className="sub">{error instanceof Error ? error.message : String(error)}</p>
      <Group gap="sm">
        <Button variant="default" onClick={retry}>
          {messages.tryAgain}
        </Button>
        {error instanceof ApiError && error.requestId !== "" && (
          <span className="meta">
            {messages.requestId} <code className="mono">{error.requestId}</code>
          </span>
        )}
      </Group>
    </section>
  );
}
