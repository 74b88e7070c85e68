import { Button, Progress as Bar, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { bytesText } from "../../../../../contract/text/size-text.ts";
import { ApiError } from "../../../api/client.ts";
import type { Progress } from "./publish.ts";
import type { PublishState } from "./use-publish.ts";

interface Props {
  state: PublishState;
  message: string;
  onMessage: (message: string) => void;
  onRetry: () => void;
  onCancel: () => void;
  /** Choice of the version, and what else precedes the message. */
  children: ReactNode;
}

/** The form of a publish, its progress and its failure. */
export function PublishPanel({ state, message, onMessage, onRetry, onCancel, children }: Props) {
  return (
    <section className="publish-panel" aria-label="Publish">
      {state.kind === "failed" && <PublishFailure error={state.error} onRetry={onRetry} />}
      {state.kind === "running" ? (
        <ProgressRow progress={state.progress} onCancel={onCancel} />
      ) : (
        <>
          {children}
          <TextInput
            aria-label="What changed"
            placeholder="What changed"
            maxLength={limits.versionMessage}
            rightSection={message.length > 0 && <span className="meta">{message.length}</span>}
            value={message}
            onChange={(event) => onMessage(event.currentTarget.value)}
          />
        </>
      )}
    </section>
  );
}

const steps = { packing: "Packing the files", sending: "Sending", checking: "Checking" } as const;

function ProgressRow({
  progress: { step, done, total },
  onCancel,
}: {
  progress: Progress;
  onCancel: () => void;
}) {
  const share = total === 0 ? 0 : Math.round((done / total) * 100);
  const value = step === "checking" ? 100 : share;
  const sizes = step === "sending" ? ` ${bytesText(done)} of ${bytesText(total)}` : "";
  return (
    <div className="stack">
      <Bar.Root>
        <Bar.Section value={value} animated={step === "checking"} aria-label={`${steps[step]}${sizes}`} />
      </Bar.Root>
      <div className="row between">
        <span className="meta">
          <span role="status">{steps[step]}</span>
          {sizes}
        </span>
        {step !== "checking" && (
          <Button size="xs" variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}

function PublishFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isSignedOut = error instanceof ApiError && error.status === 401;
  const text = error instanceof Error ? error.message : String(error);
  return (
    <div className="note danger" role="alert">
      <div className="stack">
        {isSignedOut ? (
          <span>
            Your session has ended. Your text is kept: <SignInLink /> in a new tab, then publish again.
          </span>
        ) : (
          <span>{text}</span>
        )}
        <div className="row wrap">
          <Button size="xs" variant="default" onClick={onRetry}>
            {isSignedOut ? "Publish again" : "Try again"}
          </Button>
          {error instanceof ApiError && error.requestId !== "" && (
            <span className="meta">
              Request id <code className="mono">{error.requestId}</code>
            </span>
          )}
        </div>
      </div>
    </div>
  );
}

const SignInLink = () => (
  <a href="/sign-in" target="_blank" rel="noreferrer">
    sign in
  </a>
);
