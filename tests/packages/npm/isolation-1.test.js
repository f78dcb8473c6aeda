import { isolated } from "./isolation.js";

isolated(1);
