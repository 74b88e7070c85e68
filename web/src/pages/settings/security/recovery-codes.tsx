import { Button, CopyButton, Modal } from "@mantine/core";
import { Check, Copy, Download } from "lucide-react";

/** New recovery codes, which are shown once. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = codes.join("\n");
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`;
  return (
    <Modal opened onClose={onClose} title="Your recovery codes" closeOnClickOutside={false}>
      <div className="stack gap-4">
        <p>
          Keep them where you find them without your device, such as in a password manager or on paper. Each
          signs you in once, after your password. They are not shown again.
        </p>
        <ul className="recovery-codes mono" aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="row wrap end">
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <Check size={14} /> : <Copy size={14} />}
                onClick={copy}
              >
                {copied ? "Copied" : "Copy"}
              </Button>
            )}
          </CopyButton>
          <Button
            component="a"
            href={file}
            download="recovery-codes.txt"
            variant="default"
            leftSection={<Download size={14} />}
          >
            Download
          </Button>
          <Button data-autofocus onClick={onClose}>
            I have kept them
          </Button>
        </div>
      </div>
    </Modal>
  );
}
