// The page of "rtbwire playground": the box alone.

import { byID, write } from "./dom.js";
import { Judge } from "./judge.js";

const judge = new Judge(byID("judge"));
judge.load().then(
  (d) => write(byID("where"), d.config || "the default checks"),
  (e) => write(byID("where"), "no answer: " + e.message));
