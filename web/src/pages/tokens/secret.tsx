import { Button, CopyButton, Modal } from "@mantine/core";
import { Check, Copy, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { CreatedToken } from "../../api/tokens.ts";
import { Command } from "../../parts/command.tsx";

/** The secret of a new token, which is shown once. Closing asks again if it was not copied. */
export function SecretDialog({ created, onClose }: { created: CreatedToken; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const close = () => (isCopied || isAsked ? onClose() : setAsked(true));
  return (
    <Modal opened onClose={close} title={`Token ${created.name}`} size="lg" closeOnClickOutside={false}>
      <div className="stack g4">
        <p>Copy the token now: the service stores only its hash and can&apos;t show it again.</p>
        <div className="cmd">
          <code tabIndex={0} aria-label="Token">
            {created.token}
          </code>
          <CopyButton value={created.token}>
            {({ copied, copy }) => (
              <Button
                size="xs"
                data-autofocus
                leftSection={copied ? <Check size={14} /> : <Copy size={14} />}
                onClick={() => {
                  copy();
                  setCopied(true);
                }}
              >
                {copied ? "Copied" : "Copy token"}
              </Button>
            )}
          </CopyButton>
        </div>
        <p className="sub">Programs read it from the environment:</p>
        <Command text={`SVC_TOKEN=… svc list --json`} />
        {isAsked && (
          <p className="note warn" role="alert">
            <TriangleAlert className="i" />
            <span>You have not copied the token. Without it, you have to create another one.</span>
          </p>
        )}
        <div className="row end">
          <Button variant="default" onClick={close}>
            {isAsked && !isCopied ? "Close without copying" : "Close"}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
