import "./guide.css";
import { Command } from "./command.tsx";

/** A value to enter elsewhere, under the name that it has there. Steps are the items of a list of the class `guide`. */
export const GuideValue = ({ name, text }: { name: string; text: string }) => (
  <span className="guide-value">
    <span className="meta">{name}</span>
    <Command text={text} label={`Copy ${name}`} prompt="" />
  </span>
);
