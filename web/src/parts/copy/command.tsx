import { ActionIcon, CopyButton } from "@mantine/core";
import { Check, Copy } from "lucide-react";

interface Props {
  text: string;
  /** Name of the button. */
  label?: string;
  /** Precedes the text; empty for something that is no command, such as a link. */
  prompt?: "$" | "";
}

/** A command line with a button that copies it. */
export function Command({ text, label = "Copy command", prompt = "$" }: Props) {
  return (
    <div className="command">
      {prompt !== "" && (
        <span className="prompt" aria-hidden="true">
          {prompt}
        </span>
      )}
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
