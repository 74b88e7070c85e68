/** Size and weight of icons next to text. */
export const iconProps = { size: 16, strokeWidth: 1.75 } as const;
