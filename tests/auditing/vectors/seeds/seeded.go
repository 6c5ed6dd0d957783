package main

import (
	"fmt"
	"math/rand"
	"os"
)

func main() {
	r := rand.New(rand.NewSource(54321))
	for i := 0; i < 40; i++ {
		switch os.Args[1] {
		case "Intn100":
			fmt.Println(r.Intn(100))
		case "Int63":
			fmt.Println(r.Int63())
		case "Uint32":
			fmt.Println(r.Uint32())
		case "Float64":
			fmt.Println(r.Float64())
		}
	}
}
