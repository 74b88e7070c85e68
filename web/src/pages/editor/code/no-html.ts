/**
 * Stands in for @codemirror/lang-html (`vite.config.ts`), which the Markdown language imports together with the
 * languages of scripts and style sheets, 58 kB compressed. HTML inside a skill's text is not highlighted.
 */
import { LanguageSupport, StreamLanguage } from "@codemirror/language";

export const html = () =>
  new LanguageSupport(
    StreamLanguage.define({
      name: "html",
      token(stream) {
        stream.skipToEnd();
        return null;
      },
    }),
  );
export const htmlCompletionSource = () => null;
