import { numberText } from "../../../../../contract/text/count-text.ts";

/** The number of skills at the end of an entry; nothing without any. */
export const Count = ({ value = 0 }: { value: number | undefined }) =>
  value > 0 && <span className="number">{numberText(value)}</span>;
