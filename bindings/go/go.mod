module simpleagents

go 1.23
