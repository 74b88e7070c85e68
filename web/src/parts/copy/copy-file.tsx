import "./copy-file.css";
import { Button, CopyButton } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { visibleText } from "../text/visible-text.ts";

/** A file with its path and a button that copies it. */
export function CopyFile({ path, text }: { path: string; text: string }) {
  return (
    <div className="panel file">
      <div className="row file-head">
        <span className="mono grow clip">{path}</span>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={copied ? <Check size={14} /> : <Copy size={14} />}
              onClick={copy}
            >
              {copied ? "Copied" : "Copy file"}
            </Button>
          )}
        </CopyButton>
      </div>
      <pre tabIndex={0} aria-label={`Content of ${path}`}>
        <code>{visibleText(text)}</code>
      </pre>
    </div>
  );
}
