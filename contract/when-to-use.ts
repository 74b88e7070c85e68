/** Sentences of a skill that say when an agent uses it. */

const saysWhen =
  /\b(?:use (?:this|it|when|for|to|whenever)|when (?:to use|the user|you|users|asked|working)|trigger(?:s|ed)?|applies to|whenever)\b/i;

export const isAboutUse = (sentence: string): boolean => saysWhen.test(sentence);

/** Sentences of a description. */
export const splitSentences = (text: string): string[] => text.split(/(?<=[.!?])\s+/);
