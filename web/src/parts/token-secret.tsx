import { ActionIcon, Button, CopyButton, Group } from "@mantine/core";
import { Check, Copy, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Command } from "./command.tsx";

interface Props {
  secret: string;
  /** Closes the dialog. It is asked for twice if the token was not copied. */
  onClose: () => void;
}

/** A new token, which is shown once. */
export function TokenSecret({ secret, onClose }: Props) {
  const [wasCopied, setCopied] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const close = () => (wasCopied || isWarned ? onClose() : setWarned(true));
  return (
    <div className="stack g4">
      <p className="sub">
        Copy the token now. The service keeps only a hash, so that it can't show it again.
      </p>
      <div className="cmd">
        <code className="secret" tabIndex={0} aria-label="Token">
          {secret}
        </code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={copied ? "Copied" : "Copy token"}
              onClick={() => {
                copy();
                setCopied(true);
              }}
            >
              {copied ? <Check size={14} /> : <Copy size={14} />}
            </ActionIcon>
          )}
        </CopyButton>
      </div>
      <p className="meta">A program that runs svc reads it from its environment:</p>
      <Command text={`SVC_API_URL=${location.origin} SVC_TOKEN=… svc list`} />
      {isWarned && !wasCopied && (
        <div className="note warn" role="alert">
          <TriangleAlert className="i s" />
          <span>The token was not copied. If you close now, it is lost, and you need another one.</span>
        </div>
      )}
      <Group justify="flex-end">
        <Button variant={wasCopied ? "filled" : "default"} onClick={close}>
          {isWarned && !wasCopied ? "Close without copying" : "Done"}
        </Button>
      </Group>
    </div>
  );
}
