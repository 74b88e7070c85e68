import { ActionIcon, CopyButton } from "@mantine/core";
import { Check, Copy } from "lucide-react";

/** A command line with a button that copies it. */
export function Command({ text, label = "Copy command" }: { text: string; label?: string }) {
  return (
    <div className="cmd">
      <span className="p" aria-hidden="true">
        $
      </span>
      <code tabIndex={0}>{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={copied ? "Copied" : label}
            onClick={copy}
          >
            {copied ? <Check size={14} /> : <Copy size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </div>
  );
}
