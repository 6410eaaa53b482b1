"""The judge: load, bind, align, cases, compare, diagnose, report.

`client` speaks to a judge process and `report` is what comes back; neither imports
torch. Everything else runs in the judge or in the candidate's process.
"""
