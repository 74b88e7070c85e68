import { Button } from "@mantine/core";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { ApiError } from "../../api/client.ts";
import { messages } from "../../messages.ts";

/** Error component of the tabs: it replaces the tab, and the header of the skill stays. */
export function TabProblem({ error, reset }: ErrorComponentProps) {
  const boundary = useQueryErrorResetBoundary();
  const retry = () => {
    boundary.reset();
    reset();
  };
  return <Problem error={error} retry={retry} />;
}

/** An error in its place: the sentence of the API, a new attempt, and the id of the request. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const router = useRouter();
  const again = () => {
    retry?.();
    void router.invalidate();
  };
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <section className="stack gap-3 tab-content" role="alert">
      <h2>{isMissing ? "Not found" : messages.failed}</h2>
      <p className="sub">{error instanceof Error ? error.message : String(error)}</p>
      <div className="row">
        <Button variant="default" onClick={again}>
          {messages.tryAgain}
        </Button>
        {error instanceof ApiError && error.requestId !== "" && (
          <span className="meta">
            {messages.requestId} <code className="mono">{error.requestId}</code>
          </span>
        )}
      </div>
    </section>
  );
}
