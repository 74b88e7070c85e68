import { Button } from "@mantine/core";
import { ApiError } from "../../api/client.ts";
import { Command } from "../../parts/copy/command.tsx";
import { commandLine } from "../../parts/copy/shell.ts";

/** The reason that the service did not plan or connect, with the remedy. */
export function Refusal({ error, onBranch }: { error: Error; onBranch: (branch: string) => void }) {
  const details = error instanceof ApiError ? error.details : {};
  const branches = textsOf(details["branches"]);
  const missing = textsOf(details["missing"]);
  const tag = typeof details["tag"] === "string" ? details["tag"] : undefined;
  return (
    <div className="note danger" role="alert">
      <div className="stack">
        <p>{error.message}</p>
        {missing.length > 0 && <p>You lack: {missing.join(", ")}. An owner can give you a role with them.</p>}
        {branches.length > 0 && (
          <p className="row wrap">
            Branches that exist:
            {branches.map((branch) => (
              <Button
                key={branch}
                size="xs"
                variant="default"
                className="mono"
                onClick={() => onBranch(branch)}
              >
                {branch}
              </Button>
            ))}
          </p>
        )}
        {tag !== undefined && (
          <>
            <p>To show that you can write to the repository, push this tag and connect again:</p>
            <Command text={commandLine("git", "push", "origin", `HEAD:refs/tags/${tag}`)} />
          </>
        )}
      </div>
    </div>
  );
}

const textsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
