import { FolderUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { leftOutSentence } from "../../../../../contract/package/left-out.ts";
import { countText } from "../../../../../contract/text/count-text.ts";
import { sizeText } from "../../../../../contract/text/size-text.ts";
import type { DroppedFile } from "../../../parts/zip/format.ts";
import { filesOfDrop, filesOfField, type Found } from "./dropped-files.ts";

interface Result {
  isBusy?: boolean;
  error?: string;
  found?: Found;
}

/** Takes a folder, files or a zip: by a drop anywhere on the page, or by a button. */
export function DropZone({ onFiles }: { onFiles: (files: DroppedFile[]) => void }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [result, setResult] = useState<Result>({});
  const take = async (reading: Promise<Found>) => {
    setResult({ isBusy: true });
    try {
      const found = await reading;
      setResult({ found });
      if (found.files.length > 0) onFiles(found.files);
    } catch (error) {
      setResult({
        error: error instanceof Error ? error.message : "The files can't be read. Choose them again.",
      });
    }
  };
  const isOver = usePageDrop((data) => void take(filesOfDrop(data)));
  const onChoose = (field: HTMLInputElement) => {
    if (field.files && field.files.length > 0) void take(filesOfField(field.files));
    // The same file can be chosen again.
    setTimeout(() => (field.value = ""), 0);
  };
  return (
    <div className="drop" data-over={isOver}>
      <FolderUp size={20} aria-hidden="true" />
      <span>Drop a folder, files or a zip here, or choose</span>
      <span className="row">
        <button type="button" className="link-button" onClick={() => files.current?.click()}>
          files
        </button>
        or
        <button type="button" className="link-button" onClick={() => folder.current?.click()}>
          a folder
        </button>
      </span>
      <span>
        {sizeText(limits.packageUncompressedBytes)} and {limits.packageFiles} files at most
      </span>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(e) => onChoose(e.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        {...{ webkitdirectory: "" }}
        hidden
        aria-label="Folder"
        onChange={(e) => onChoose(e.currentTarget)}
      />
      <DropResult {...result} />
    </div>
  );
}

function DropResult({ isBusy, error, found }: Result) {
  if (error !== undefined)
    return (
      <p role="alert" className="danger">
        {error}
      </p>
    );
  if (isBusy) return <div role="status">Reading the files</div>;
  if (!found) return null;
  const { length } = found.files;
  const sentence = leftOutSentence(found.leftOut);
  return (
    <div role="status">
      {`Added ${countText(length, "file")}. Nothing is sent yet.`}
      {sentence !== undefined && <p className="sub">{sentence}</p>}
    </div>
  );
}

/** Handles drops of files anywhere on the page, which the browser would open instead. */
function usePageDrop(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const handler = useRef(onDrop);
  useEffect(() => {
    handler.current = onDrop;
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      event.stopPropagation();
      handler.current(event.dataTransfer);
    };
    const controller = new AbortController();
    const options = { capture: true, signal: controller.signal };
    // Without a canceled dragenter, the browser refuses a drop on an element that the drag has just entered.
    addEventListener("dragenter", over, options);
    addEventListener("dragover", over, options);
    addEventListener("dragleave", leave, options);
    addEventListener("drop", drop, options);
    return () => controller.abort();
  }, []);
  return isOver;
}
