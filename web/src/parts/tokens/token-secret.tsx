import { Button, CopyButton, Modal } from "@mantine/core";
import { Check, Copy, TriangleAlert } from "lucide-react";
import { useState, type ReactNode } from "react";

interface Props {
  title: string;
  secret: string;
  onClose: () => void;
  /** How to use it. */
  children: ReactNode;
}

/** The secret of a new token, which is shown once. Closing asks again if it was not copied. */
export function TokenSecret({ title, secret, onClose, children }: Props) {
  const [isCopied, setCopied] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const isWarned = isAsked && !isCopied;
  const close = () => (isCopied || isAsked ? onClose() : setAsked(true));
  return (
    <Modal opened onClose={close} title={title} size="lg" closeOnClickOutside={false}>
      <div className="stack gap-4">
        <p>Copy the token now: the service stores only its hash and can&apos;t show it again.</p>
        <div className="command">
          <code className="secret" tabIndex={0} aria-label="Token" onCopy={() => setCopied(true)}>
            {secret}
          </code>
          <CopyButton value={secret}>
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
        {children}
        {isWarned && (
          <p className="note warn" role="alert">
            <TriangleAlert className="icon" />
            <span>You have not copied the token. Without it, you have to create another one.</span>
          </p>
        )}
        <div className="row end">
          <Button variant="default" onClick={close}>
            {isWarned ? "Close without copying" : "Close"}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
