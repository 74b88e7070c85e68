import { useDebouncedValue } from "@mantine/hooks";
import { useIsFetching } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { awaitFilter, typeInto } from "../../parts/filter-key.ts";
import { PaletteField } from "./palette-field.tsx";

export const loadPalette = () => import("./palette/palette.tsx");
type Palette = Awaited<ReturnType<typeof loadPalette>>["Palette"];

/** Time without requests after which a page counts as loaded. */
const settledMs = 300;

interface Props {
  /** `/` was pressed on a page without a filter: one that appears while the page is loaded takes the text. */
  isForFilter: boolean;
  onClose: () => void;
}

/** The palette. Its field is there at once, and keeps the focus and the text until the rest has been loaded. */
export function OpenedPalette({ isForFilter, onClose }: Props) {
  const [text, setText] = useState("");
  const [isReady, setReady] = useState(false);
  const isWaiting = useFilterWait(isForFilter, text, onClose);
  const { Palette } = usePalette(!isWaiting);
  const restoreFocus = useOpener();
  const takeOver = (field: HTMLInputElement) => {
    if (isReady) return;
    setReady(true);
    typeInto(field, text);
  };
  const close = () => {
    onClose();
    restoreFocus();
  };
  return (
    <>
      {!isReady && (
        <PaletteField
          text={text}
          label={isWaiting ? "Filter" : "Search or jump to"}
          onChange={setText}
          onClose={close}
        />
      )}
      {Palette && <Palette onFocus={takeOver} onClose={close} />}
    </>
  );
}

/** Whether a filter may still appear. Once it does, it takes the text, and `onTaken` is called. */
function useFilterWait(isForFilter: boolean, text: string, onTaken: () => void): boolean {
  const isBusy = useIsFetching() > 0;
  const isLoading = useRouterState({ select: (state) => state.isLoading }) || isBusy;
  const [isSettled] = useDebouncedValue(!isLoading, settledMs);
  const [isOver, setOver] = useState(!isForFilter);
  if (!isOver && isSettled && !isLoading) setOver(true);
  const latest = useRef({ text, onTaken });
  useEffect(() => {
    latest.current = { text, onTaken };
  });
  useEffect(() => {
    if (isOver) return undefined;
    return awaitFilter((field) => {
      latest.current.onTaken();
      typeInto(field, latest.current.text);
    });
  }, [isOver]);
  return !isOver;
}

/** The rest of the palette, once it is wanted and loaded. */
function usePalette(isWanted: boolean): { Palette?: Palette } {
  const [loaded, setLoaded] = useState<{ Palette?: Palette }>({});
  useEffect(() => {
    if (isWanted) void loadPalette().then((module) => setLoaded(module));
  }, [isWanted]);
  return loaded;
}

/** Returns a function that puts the focus back where it was when the palette was opened. */
function useOpener(): () => void {
  const [opener] = useState(() => document.activeElement);
  return () => {
    if (opener instanceof HTMLElement) setTimeout(() => opener.focus());
  };
}
